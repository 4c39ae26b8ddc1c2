public import ArgumentParser
public import FlowModel

/// The option that a provider outside signs the person in.
public struct ProviderOption: ParsableArguments {
    /// The provider's name in the daemon's configuration.
    @Option(help: .text("help.shared.providerOption.provider", valueName: "name")) public var provider: String?

    /// As the command line says.
    public init() {}

    /// The place at which the person is asked: a way to a provider leads through a browser.
    public static func mode(_ mode: AcquireRequest.Mode, for provider: String?) -> AcquireRequest.Mode {
        provider == nil ? mode : mode.toProvider
    }
}
