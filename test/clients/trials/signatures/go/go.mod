module relay.test/client

go 1.22

require github.com/go-fed/httpsig v1.1.0

require (
	golang.org/x/crypto v0.0.0-20200622213623-75b288015ac9 // indirect
	golang.org/x/sys v0.0.0-20190412213103-97732733099d // indirect
)
