module attestor

go 1.19
