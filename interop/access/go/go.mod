module interop/access

go 1.25.0
