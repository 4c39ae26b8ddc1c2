import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import Glibc
import OAuth
import QRCode

/// The terminal output that tells the user which address to open in a browser.
struct BrowserSign {
    let place: BrowserPlace
    let hasDesktop: Bool
    /// The terminal's width, or `nil` if there is no terminal and therefore no QR code.
    let columns: Int?

    var lines: [String] {
        // `place.words` is empty for an external authority, whose page does not ask for words.
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

    /// Whether only a browser on this machine can reach the address.
    private var isHere: Bool {
        URL(string: place.url)?.host.map { Loopback.contains(host: $0) } ?? false
    }

    /// The lines of the address's QR code, or none if a phone cannot reach the address or the terminal is too narrow.
    private var picture: [String] {
        guard !isHere, let columns, let code = QRCode(place.url), code.size + 2 * QRCode.quietZone <= columns else {
            return []
        }
        return code.terminalLines
    }

    static func show(_ progress: BrowserProgress) {
        switch progress {
        case .waits(let place, let until): show(place, until: until)
        case .opened(let opener): Program.complain(line(about: opener))
        case .changed(let flow):
            guard let step = flow.step else { return }
            Program.note(PlainText.line(Text("cli.terminal.browserGoesOn", ["step": step.title]).text))
        }
    }

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
        // Every user can read the arguments of every process, so the link itself is never passed as an argument.
        guard hasDesktop, place.code == nil, let opener = opener(in: environment["PATH"] ?? ""),
            let port = OpeningPort(to: place.url)
        else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: opener)
        process.arguments = [port.address]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The link is printed, so a failure to open it is not an error.
        try? process.run()
    }

    private static func opener(in path: String) -> String? {
        path.split(separator: ":").map { "\($0)/xdg-open" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
