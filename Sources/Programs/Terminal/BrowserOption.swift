public import ArgumentParser
public import FlowModel

/// The options that a browser answers what is asked.
public struct BrowserOption: ParsableArguments {
    /// True if a browser answers, of this machine or wherever the person carries the link.
    @Flag(name: .customLong("browser"), help: .text("help.shared.browserOption.isBrowser")) public var isBrowser = false

    /// True if the browser of another device answers, after the person has typed a code there.
    @Flag(name: .customLong("device"), help: .text("help.shared.browserOption.isDevice")) public var isDevice = false

    /// True if the person signs in at another authority wherever they like, and brings the address at the end.
    @Flag(name: .customLong("paste"), help: .text("help.shared.browserOption.isPasted")) public var isPasted = false

    /// True if the browser comes back to a port of the daemon.
    @Flag(name: .customLong("localhost"), help: .text("help.shared.browserOption.isLocalhost"))
    public var isLocalhost = false

    /// The port; nil for any that serves.
    @Option(name: .customLong("port"), help: .text("help.shared.browserOption.port")) public var port: UInt16?

    /// As the command line says.
    public init() {}

    /// Refuses several at once.
    public func validate() throws {
        guard [isBrowser, isDevice, isPasted, isLocalhost].count(where: { $0 }) < 2 else {
            throw ValidationError(Text("cli.terminal.browserOrDevice"))
        }
        if port != nil, !isLocalhost || port == 0 { throw ValidationError(Text("cli.terminal.portOfLocalhost")) }
    }

    /// The place at which the person is asked.
    public var mode: AcquireRequest.Mode {
        switch (isBrowser || isLocalhost, isDevice, isPasted) {
        case (_, _, true): .paste
        case (_, true, false): .device
        case (true, false, false): .browser
        case (false, false, false): .native
        }
    }

    /// The daemon's port to which the browser comes back, 0 for any that serves; nil if that is not asked for.
    public var loopbackPort: UInt16? { isLocalhost ? port ?? 0 : nil }
}
