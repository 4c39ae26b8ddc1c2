// Authority
