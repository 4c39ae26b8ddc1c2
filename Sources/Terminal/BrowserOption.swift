public import ArgumentParser
public import FlowModel
import Foundation

/// The option that a browser answers what is asked.
public struct BrowserOption: ParsableArguments {
    /// True if a browser answers.
    @Flag(
        name: .customLong("browser"),
        help: "Answer in a browser; the link also works in the browser of another machine."
    )
    public var isBrowser = false

    /// As the command line says.
    public init() {}

    /// The place at which the person is asked.
    public var mode: AcquireRequest.Mode {
        switch isBrowser {
        case true: .browser
        case false: .native
        }
    }

    /// Shows the place, and opens it where there is a desktop.
    public static func show(_ place: BrowserPlace) {
        Program.complain("Sign in with a browser: \(PlainText.line(place.url))")
        Program.complain(
            "If the page asks, it must show these words: \(PlainText.line(place.words.joined(separator: " ")))"
        )
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil,
            let opener = opener(in: environment["PATH"] ?? "")
        else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: opener)
        process.arguments = [place.url]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The link is printed, so that nothing is lost if the desktop does not open it.
        try? process.run()
    }

    private static func opener(in path: String) -> String? {
        path.split(separator: ":").map { "\($0)/xdg-open" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
