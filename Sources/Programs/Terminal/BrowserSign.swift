import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import Glibc
import OAuth
import QRCode

/// The lines by which a terminal sends a person to a browser, and tells how it goes there.
struct BrowserSign {
    let place: BrowserPlace
    /// True where a desktop opens links.
    let hasDesktop: Bool
    /// The columns of the terminal; nil where there is none, and nobody could scan a picture.
    let columns: Int?

    /// The lines, the picture for phones among them.
    var lines: [String] {
        // The page of another authority shows none.
        let words =
            place.words.isEmpty
            ? []
            : [PlainText.line(Text("cli.terminal.browserWords", ["words": place.words.joined(separator: " ")]).text)]
        guard let code = place.code else {
            let address = PlainText.line(Text("cli.terminal.signInWithBrowser", ["address": place.url]).text)
            return [address] + (hasDesktop ? [] : picture) + words
        }
        let sentence: Text =
            isHere
            ? Text("cli.terminal.deviceCodeHere", ["page": code.page, "code": code.userCode])
            : Text("cli.terminal.deviceCode", ["page": code.page, "code": code.userCode])
        return [PlainText.line(sentence.text)] + picture + words
    }

    /// True if only a browser of this machine reaches the place.
    private var isHere: Bool {
        URL(string: place.url)?.host.map { Loopback.contains(host: $0) } ?? false
    }

    /// The address for phones; nothing where no phone reaches it, or the terminal is narrower than it.
    private var picture: [String] {
        guard !isHere, let columns, let code = QRCode(place.url), code.size + 2 * QRCode.quietZone <= columns else {
            return []
        }
        return code.terminalLines
    }

    /// Shows a place, or how it goes there.
    static func show(_ progress: BrowserProgress) {
        switch progress {
        case .waits(let place, let until): show(place, until: until)
        case .opened(let opener): Program.complain(line(about: opener))
        case .changed(let flow):
            guard let step = flow.step else { return }
            Program.note(PlainText.line(Text("cli.terminal.browserGoesOn", ["step": step.title]).text))
        }
    }

    /// The line that reports whose browser opened the link.
    static func line(about opener: LinkOpener) -> String {
        let text: Text =
            switch opener {
            case .user(let uid, let name): Text.openedBy(name, uid: uid)
            case .address(let address): Text("cli.terminal.openedFrom", ["address": address])
            }
        return PlainText.line(text.text)
    }

    private static func show(_ place: BrowserPlace, until: Int64) {
        let environment = ProcessInfo.processInfo.environment
        let hasDesktop = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
        let columns = isatty(STDERR_FILENO) == 1 ? Output.width(of: STDERR_FILENO) : nil
        for line in BrowserSign(place: place, hasDesktop: hasDesktop, columns: columns).lines { Program.complain(line) }
        let minutes = max(1, (until - Int64(Date().timeIntervalSince1970 * 1000) + 59_999) / 60_000)
        Program.note(Text("cli.terminal.waitsForBrowser", ["minutes": minutes]).text)
        // Every user of the machine reads the arguments of every process, so the link never stands there.
        guard hasDesktop, place.code == nil, let opener = opener(in: environment["PATH"] ?? ""),
            let port = OpeningPort(to: place.url)
        else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: opener)
        process.arguments = [port.address]
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
