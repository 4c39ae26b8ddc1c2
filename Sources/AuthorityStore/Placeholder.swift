// AuthorityStore
