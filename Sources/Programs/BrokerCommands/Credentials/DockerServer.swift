import ProgramConfiguration

/// A registry, in the form in which docker passes it to its helpers: with or without a scheme and a path.
enum DockerServer {
    /// Returns the possible origins, in the order in which to search for them.
    ///
    /// The array is empty if tokens can never be sent to the registry.
    ///
    /// As in docker, a name without a scheme means https, and for this machine also http.
    static func origins(_ name: String) -> [WebOrigin] {
        let texts = name.contains("://") ? [name] : ["https://\(name)", "http://\(name)"]
        return texts.compactMap { WebOrigin($0) }
    }
}
