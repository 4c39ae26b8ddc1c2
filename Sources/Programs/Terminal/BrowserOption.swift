public import ArgumentParser
public import FlowModel

/// Options that show the prompts in a browser.
public struct BrowserOption: ParsableArguments {
    /// Whether the prompts are shown in a browser.
    ///
    /// The user can open the link on this machine or on another device.
    @Flag(name: .customLong("browser"), help: .text("help.shared.browserOption.isBrowser")) public var isBrowser = false

    /// Whether the user signs in with a browser on another device, where they type a code.
    @Flag(name: .customLong("device"), help: .text("help.shared.browserOption.isDevice")) public var isDevice = false

    /// Whether the user signs in with an external authority in any browser and pastes the final address.
    @Flag(name: .customLong("paste"), help: .text("help.shared.browserOption.isPasted")) public var isPasted = false

    /// Whether the browser returns to a loopback port that the daemon opens.
    @Flag(name: .customLong("localhost"), help: .text("help.shared.browserOption.isLocalhost"))
    public var isLocalhost = false

    /// The port that the daemon opens, or `nil` for any port that the redirect URIs permit.
    @Option(name: .customLong("port"), help: .text("help.shared.browserOption.port")) public var port: UInt16?

    /// Creates options for the argument parser to fill in.
    public init() {}

    /// Rejects options that cannot be combined.
    public func validate() throws {
        guard [isBrowser, isDevice, isPasted, isLocalhost].count(where: { $0 }) < 2 else {
            throw ValidationError(Text("cli.terminal.browserOrDevice"))
        }
        if port != nil, !isLocalhost || port == 0 { throw ValidationError(Text("cli.terminal.portOfLocalhost")) }
    }

    /// Where the prompts are shown.
    public var mode: AcquireRequest.Mode {
        switch (isBrowser || isLocalhost, isDevice, isPasted) {
        case (_, _, true): .paste
        case (_, true, false): .device
        case (true, false, false): .browser
        case (false, false, false): .native
        }
    }

    /// The port that the daemon opens for the browser to return to: 0 for any permitted port, or `nil` for none.
    public var loopbackPort: UInt16? { isLocalhost ? port ?? 0 : nil }
}
