public import ArgumentParser
public import FlowModel
public import OAuth

/// The options shared by all commands.
public struct SharedOptions: ParsableArguments {
    /// Whether to print JSON for programs instead of text for users.
    @Flag(help: .text("help.shared.sharedOptions.json")) public var json = false

    /// The correlation id that identifies this call in the logs and the audit log, or `nil` to generate an id.
    @Option(
        name: .customLong("correlation-id"),
        help: .text("help.shared.sharedOptions.correlation", valueName: "uuid")
    )
    public var correlation: CorrelationID?

    /// Creates options for the argument parser to fill in.
    public init() {}
}

extension CorrelationID: ExpressibleByArgument {
    /// Parses a UUID, or returns `nil` if the argument is not a UUID.
    public init?(argument: String) {
        self.init(argument)
    }
}

// The values of these types are spelled the same on the command line and in requests.
extension ClientType: ExpressibleByArgument {}
extension TokenSigning.Algorithm: ExpressibleByArgument {}
extension NewAuthority.Preset: ExpressibleByArgument {}
