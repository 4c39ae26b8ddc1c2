import FlowModel
import OfflineTables
import Terminal

/// Shows on a terminal how far a sync has come, over and over on one line.
struct SyncProgressLine: Sendable {
    let terminal: TerminalDevice

    /// Shows a step; the cursor goes back to the beginning of the line, which the next output overwrites.
    @Sendable func show(_ progress: SyncProgress) {
        let text =
            switch progress {
            case .pushed(let count, let waiting): Text("cli.tasks.sending", ["count": count, "waiting": waiting]).text
            case .pulled(let count, _): Text("cli.tasks.receiving", ["count": count]).text
            }
        terminal.show("\r\u{1B}[K\(text)\r\u{1B}[K")
    }
}
