// RemoteKeys
