public import ArgumentParser
public import FlowModel
public import OAuth

/// The options of every command.
public struct SharedOptions: ParsableArguments {
    /// Whether to print JSON, for programs.
    @Flag(help: .text("help.shared.sharedOptions.json")) public var json = false

    /// The correlation id for this call in the logs and the audit log, or `nil` to generate one.
    @Option(
        name: .customLong("correlation-id"),
        help: .text("help.shared.sharedOptions.correlation", valueName: "uuid")
    )
    public var correlation: CorrelationID?

    /// Creates options for the argument parser to fill in.
    public init() {}
}

extension CorrelationID: ExpressibleByArgument {
    /// Parses a UUID, or returns `nil` for anything else.
    public init?(argument: String) {
        self.init(argument)
    }
}

// The values of these types are spelled the same on the command line and in requests.
extension ClientType: ExpressibleByArgument {}
extension TokenSigning.Algorithm: ExpressibleByArgument {}
extension NewAuthority.Preset: ExpressibleByArgument {}
