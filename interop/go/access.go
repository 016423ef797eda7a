package main

import (
	"context"
	"fmt"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"interop/access"
)

// accessMain lets the SDK's clients in, in every way that the card names, on every binding. Its arguments are the
// gateway's base URL, the folder with what callers hold, and the version to speak.
func accessMain(arguments []string) int {
	if len(arguments) != 3 {
		fmt.Fprintln(os.Stderr, "usage: interop access BASE_URL FOLDER VERSION")
		return 2
	}
	url, version := arguments[0], a2a.ProtocolVersion(arguments[2])
	all, err := access.CallersIn(arguments[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	name := "access-go"
	if version == a2av0.Version {
		name = "access-go-compat"
	}
	resolver := agentcard.Resolver{Client: all.HTTP(access.Held{}), CardParser: a2av0.NewAgentCardParser()}
	card, errCard := resolver.Resolve(context.Background(), url)
	closed, errClosed := resolver.Resolve(context.Background(), url+"/a2a/closed/")
	if errCard != nil || errClosed != nil {
		fmt.Fprintln(os.Stderr, errCard, errClosed)
		return 2
	}
	results := &report{}
	for _, binding := range bindingsOf(version) {
		check := func(title string, run func(context.Context) error) {
			results.check(fmt.Sprintf("%s %s %s", name, binding, title), run)
		}
		d := accessDoor{all, card, closed, binding, version}
		check("a caller without credentials is told so", d.refuses(d.card, access.Held{}, unauthenticated))
		for _, way := range access.Ways {
			d.checkWay(way, check)
		}
		for _, way := range []string{"jwt", "oidc"} {
			check(way+" that has expired is refused", d.refuses(d.card, all.Expired.Only(way), unauthenticated))
		}
	}
	return results.close()
}

// accessDoor is a binding in a version, with what is needed to call through it.
type accessDoor struct {
	callers *access.Callers
	card    *a2a.AgentCard
	closed  *a2a.AgentCard
	binding a2a.TransportProtocol
	version a2a.ProtocolVersion
}

func (d accessDoor) checkWay(way string, check checker) {
	mine := d.callers.Alice.Only(way)
	check(way+" opens every operation", d.tour(mine))
	check(way+" of somebody else finds no task of mine", func(ctx context.Context) error {
		a, errMine := d.connect(ctx, d.card, mine)
		other, errOther := d.connect(ctx, d.card, d.callers.Bob.Only(way))
		if errMine != nil || errOther != nil {
			return fmt.Errorf("%w, %w", errMine, errOther)
		}
		task, err := a.task(session(ctx), "mine")
		if err != nil {
			return err
		}
		_, err = other.get(session(ctx), task.ID, nil)
		return refused(err, a2a.ErrTaskNotFound)
	})
	check(way+" that is wrong is refused", d.refuses(d.card, d.callers.Wrong.Only(way), unauthenticated))
	check(way+" does not open an agent of no policy", d.refuses(d.closed, mine, forbidden))
}

// refuses is a check that these calls fail, as far as the SDK shows how.
func (d accessDoor) refuses(card *a2a.AgentCard, who access.Held, kind refusal) func(context.Context) error {
	return func(ctx context.Context) error {
		a, err := d.connect(ctx, card, who)
		if err != nil {
			return err
		}
		_, errGet := a.get(session(ctx), "any", nil)
		_, errSend := a.send(session(ctx), "hello")
		_, errStream := a.stream(session(ctx), "hello")
		for _, err := range []error{errGet, errSend, errStream} {
			if err := kind.isShownBy(err, d); err != nil {
				return err
			}
		}
		return nil
	}
}
