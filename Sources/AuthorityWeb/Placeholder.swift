// AuthorityWeb
