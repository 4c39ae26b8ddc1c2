import FlowModel
import OfflineTables
import Terminal

struct SyncProgressLine: Sendable {
    let terminal: TerminalDevice

    /// Shows progress, and returns the cursor to the start of the line, so that the next output overwrites it.
    @Sendable func show(_ progress: SyncProgress) {
        let text =
            switch progress {
            case .pushed(let count, let waiting): Text("cli.tasks.sending", ["count": count, "waiting": waiting]).text
            case .pulled(let count, _): Text("cli.tasks.receiving", ["count": count]).text
            }
        terminal.show("\r\u{1B}[K\(text)\r\u{1B}[K")
    }
}
