public import ArgumentParser
public import FlowModel

/// The option that selects an identity provider.
public struct ProviderOption: ParsableArguments {
    /// The provider's name in the daemon's configuration, or `nil` if the user did not specify a provider.
    @Option(help: .text("help.shared.providerOption.provider", valueName: "name")) public var provider: String?

    /// Creates the option for the argument parser to fill in.
    public init() {}

    /// Returns `mode`, except that `.native` becomes `.browser` if the user signs in with an identity provider.
    public static func mode(_ mode: AcquireRequest.Mode, for provider: String?) -> AcquireRequest.Mode {
        provider == nil ? mode : mode.toProvider
    }
}
