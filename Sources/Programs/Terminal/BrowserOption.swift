public import ArgumentParser
public import FlowModel

/// The options for signing in with a browser.
public struct BrowserOption: ParsableArguments {
    /// Whether the prompts are shown in a browser, which the user opens with a printed link on any device.
    @Flag(name: .customLong("browser"), help: .text("help.shared.browserOption.isBrowser")) public var isBrowser = false

    /// Whether the user signs in by typing a code into a browser on another device.
    @Flag(name: .customLong("device"), help: .text("help.shared.browserOption.isDevice")) public var isDevice = false

    /// Whether the user signs in to an external authority in any browser, and pastes the last page's address.
    @Flag(name: .customLong("paste"), help: .text("help.shared.browserOption.isPasted")) public var isPasted = false

    /// Whether the user signs in to an external authority in a local browser, which returns to a loopback port.
    @Flag(name: .customLong("localhost"), help: .text("help.shared.browserOption.isLocalhost"))
    public var isLocalhost = false

    /// The loopback port that the daemon opens, or `nil` for any port that the redirect URIs permit.
    @Option(name: .customLong("port"), help: .text("help.shared.browserOption.port")) public var port: UInt16?

    /// Creates options for the argument parser to fill in.
    public init() {}

    /// Rejects options that cannot be combined, and an invalid port.
    public func validate() throws {
        guard [isBrowser, isDevice, isPasted, isLocalhost].count(where: { $0 }) < 2 else {
            throw ValidationError(Text("cli.terminal.browserOrDevice"))
        }
        if port != nil, !isLocalhost || port == 0 { throw ValidationError(Text("cli.terminal.portOfLocalhost")) }
    }

    /// The place where the prompts are shown.
    public var mode: AcquireRequest.Mode {
        switch (isBrowser || isLocalhost, isDevice, isPasted) {
        case (_, _, true): .paste
        case (_, true, false): .device
        case (true, false, false): .browser
        case (false, false, false): .native
        }
    }

    /// The port to which the browser returns, which is 0 for any permitted port and `nil` for no port.
    public var loopbackPort: UInt16? { isLocalhost ? port ?? 0 : nil }
}
