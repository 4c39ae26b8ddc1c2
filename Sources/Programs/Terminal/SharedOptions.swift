public import ArgumentParser
public import FlowModel
public import OAuth

/// Options of every command.
public struct SharedOptions: ParsableArguments {
    /// True if the output is for programs: JSON.
    @Flag(help: .text("help.shared.sharedOptions.json")) public var json = false

    /// The correlation id of this call in logs and audit.
    @Option(name: .customLong("correlation-id"), help: .text("help.shared.sharedOptions.correlation"))
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

// Words that an option takes as they stand on the wire.
extension ClientType: ExpressibleByArgument {}
extension TokenSigning.Algorithm: ExpressibleByArgument {}
extension NewAuthority.Preset: ExpressibleByArgument {}
