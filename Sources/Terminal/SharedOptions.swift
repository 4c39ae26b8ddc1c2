public import ArgumentParser
public import OAuth

/// What every command takes.
public struct SharedOptions: ParsableArguments {
    /// Whether programs read what is printed.
    @Flag(help: "Print one JSON value; a failure prints {\"error\":{…}} as the last line on stderr.")
    public var json = false

    /// What ties this call to logs and audit.
    @Option(name: .customLong("correlation-id"), help: "A UUID for logs and audit; made if not given.")
    public var correlation: CorrelationID?

    /// As the command line says.
    public init() {}
}

extension CorrelationID: ExpressibleByArgument {
    /// A UUID.
    public init?(argument: String) {
        self.init(argument)
    }
}
