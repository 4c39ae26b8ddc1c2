import Foundation
import Logging
import Synchronization
import Systemd
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServiceLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private func line(_ format: ServiceLog.Format, _ message: Logger.Message, _ metadata: Logger.Metadata) -> String {
        let lines = Lines()
        let log = ServiceLog(format: format, level: .info, isJournal: true) { line in
            lines.all.withLock { $0.append(line) }
        }
        log.logger("test").warning(message, metadata: metadata)
        return lines.all.withLock { $0.joined() }
    }

    @Test("the journal format has the priority and the fields in order")
    func journal() {
        #expect(
            line(.journal, "token refused", ["uid": "7", "why": "two words"])
                == "<4>token refused uid=7 why=\"two words\"\n"
        )
    }

    @Test("external input cannot start a new line, in any format", arguments: ServiceLog.Format.allCases)
    func oneLine(_ format: ServiceLog.Format) {
        let text = line(format, "x", ["name": "a\nb\u{1b}[2J\u{202e}\u{2028}c"])
        #expect(text.filter(\.isNewline).count == 1)
        #expect(!text.contains("\u{1b}"))
    }

    @Test("a line is truncated at its maximum length")
    func long() {
        let text = line(.text, "x", ["name": .string(String(repeating: "y", count: 100_000))])
        #expect(text.utf8.count <= ServiceLog.maximumLine)
    }

    @Test(
        "a long line in JSON stays valid JSON, without characters that change the text direction",
        arguments: [
            String(repeating: "h", count: 9000), "Z" + String(repeating: "\u{301}", count: 7000), "\u{202E}x",
            String(repeating: "\u{1}", count: 9000),
        ]
    )
    func longJSON(_ value: String) throws {
        let text = line(.json, "request", ["host": .string(value), "path": .string(value)])
        #expect(text.utf8.count <= ServiceLog.maximumLine && !text.unicodeScalars.contains("\u{202E}"))
        let members = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
        #expect(members?["message"] == "request" && members?["host"] != nil, "\(text.prefix(200))")
    }

    @Test("the level may change while the daemon runs")
    func level() {
        let lines = Lines()
        let log = ServiceLog(format: .journal, level: .info, isJournal: true) { line in
            lines.all.withLock { $0.append(line) }
        }
        let logger = log.logger("test")
        logger.debug("quiet")
        log.change(format: .journal, level: .debug)
        logger.debug("loud")
        #expect(lines.all.withLock { $0 } == ["<7>loud\n"])
    }

    @Test("where the journal does not read standard error, the journal format is text with the time") func elsewhere() {
        let lines = Lines()
        let log = ServiceLog(format: .journal, level: .info, isJournal: false) { line in
            lines.all.withLock { $0.append(line) }
        }
        log.logger("x").info("listening")
        let line = lines.all.withLock { $0.first } ?? ""
        #expect(line.contains("info x: listening") && !line.hasPrefix("<"))
    }
}
