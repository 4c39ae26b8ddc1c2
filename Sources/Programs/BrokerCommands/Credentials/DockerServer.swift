import ProgramConfiguration

/// A registry, as docker names it to its helpers: with or without a scheme, with or without a path.
enum DockerServer {
    /// The origins that it may be, in the order in which they are looked for; none for what is no place for a token.
    ///
    /// A name without a scheme is https, and on this machine http as well, as docker has it.
    static func origins(_ name: String) -> [WebOrigin] {
        let texts = name.contains("://") ? [name] : ["https://\(name)", "http://\(name)"]
        return texts.compactMap { WebOrigin($0) }
    }
}
