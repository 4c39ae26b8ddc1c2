public import ArgumentParser
public import FlowModel

/// The options that a browser answers what is asked.
public struct BrowserOption: ParsableArguments {
    /// True if a browser answers, of this machine or wherever the person carries the link.
    @Flag(
        name: .customLong("browser"),
        help: "Answer in a browser; the link also works in the browser of another machine."
    )
    public var isBrowser = false

    /// True if the browser of another device answers, after the person has typed a code there.
    @Flag(
        name: .customLong("device"),
        help: "Answer in the browser of another device, such as a phone: type a short code there, or scan the picture."
    )
    public var isDevice = false

    /// True if the person signs in at another authority wherever they like, and brings the address at the end.
    @Flag(
        name: .customLong("paste"),
        help:
            "Sign in at another authority in a browser of any machine, and paste the address at which your sign-in ended."
    )
    public var isPasted = false

    /// True if the browser comes back to a port of the daemon.
    @Flag(
        name: .customLong("localhost"),
        help: "Sign in at another authority in a browser of this machine, which comes back to a port of the daemon."
    )
    public var isLocalhost = false

    /// The port; nil for any that serves.
    @Option(
        name: .customLong("port"),
        help: "With --localhost, the port; without it the one that is registered there, or any that is free."
    )
    public var port: UInt16?

    /// As the command line says.
    public init() {}

    /// Refuses several at once.
    public func validate() throws {
        guard [isBrowser, isDevice, isPasted, isLocalhost].count(where: { $0 }) < 2 else {
            throw ValidationError(TerminalText.browserOrDevice.text)
        }
        if port != nil, !isLocalhost || port == 0 { throw ValidationError(TerminalText.portOfLocalhost.text) }
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
