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

    /// As the command line says.
    public init() {}

    /// Refuses both at once.
    public func validate() throws {
        guard !isBrowser || !isDevice else { throw ValidationError(TerminalText.browserOrDevice.text) }
    }

    /// The place at which the person is asked.
    public var mode: AcquireRequest.Mode {
        switch (isBrowser, isDevice) {
        case (_, true): .device
        case (true, false): .browser
        case (false, false): .native
        }
    }
}
