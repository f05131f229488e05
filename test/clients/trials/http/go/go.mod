module relay.test/client

go 1.22
