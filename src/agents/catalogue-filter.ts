/** Which cards a search of the catalogue finds. */
import type { AgentCard } from "../protocol/agent-card.ts";

/** All of it must hold; empty: every card is found. Letters count in either case. */
export interface CatalogueFilter {
  /** The id or the name of a skill. */
  readonly skill: string | undefined;
  /** Each is on one of the card's skills, not all on the same. */
  readonly tags: readonly string[];
  /** Each stands somewhere in what the card says of the agent and its skills, as a word or in one. */
  readonly words: readonly string[];
}

/** A test of cards, which prepares the filter once. */
export function matcherOf({ skill, tags, words }: CatalogueFilter): (card: AgentCard) => boolean {
  const wantedSkill = skill === undefined ? undefined : folded(skill);
  const wantedTags = tags.map(folded);
  const wantedWords = words.map(folded);
  if (wantedSkill === undefined && wantedTags.length === 0 && wantedWords.length === 0)
    return () => true;
  return (card) => {
    const found = searchableOf(card);
    return (
      (wantedSkill === undefined || found.skills.has(wantedSkill)) &&
      wantedTags.every((tag) => found.tags.has(tag)) &&
      wantedWords.every((word) => found.text.includes(word))
    );
  };
}

/** What is compared of a card, folded. */
interface Searchable {
  /** Ids and names. */
  readonly skills: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  readonly text: string;
}

/** Kept for as long as the card is: it is another object once it says something else. */
const known = new WeakMap<AgentCard, Searchable>();

function searchableOf(card: AgentCard): Searchable {
  const kept = known.get(card);
  if (kept !== undefined) return kept;
  const { name, description, skills } = card;
  const tags = skills.flatMap((skill) => skill.tags);
  const texts = skills.flatMap((skill) => [skill.name, skill.description]);
  const made = {
    skills: new Set(skills.flatMap((skill) => [skill.id, skill.name]).map(folded)),
    tags: new Set(tags.map(folded)),
    text: folded([name, description, ...texts, ...tags].join("\n")),
  };
  known.set(card, made);
  return made;
}

/** The same for texts that differ only in the case of letters or in how Unicode writes them. */
function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
