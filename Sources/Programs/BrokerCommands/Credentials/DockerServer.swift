import OAuth

/// Parses a registry's address as docker passes it to credential helpers, with or without a scheme and a path.
enum DockerServer {
    /// Returns the origins that `name` can mean, in order of preference, except those that may never receive tokens.
    ///
    /// As in docker, a name without a scheme means https, or http if the registry is on this machine.
    static func origins(_ name: String) -> [WebOrigin] {
        let texts = name.contains("://") ? [name] : ["https://\(name)", "http://\(name)"]
        return texts.compactMap { WebOrigin($0) }
    }
}
