import ProgramConfiguration

/// A registry as docker passes it to its helpers, with or without a scheme and a path.
enum DockerServer {
    /// Returns the possible origins, in order of preference, or an empty array if none of them may receive tokens.
    ///
    /// As in docker, a name without a scheme means https, or http if the registry is on this machine.
    static func origins(_ name: String) -> [WebOrigin] {
        let texts = name.contains("://") ? [name] : ["https://\(name)", "http://\(name)"]
        return texts.compactMap { WebOrigin($0) }
    }
}
