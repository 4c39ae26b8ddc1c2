import FlowModel
import OfflineTables
import Terminal

/// Shows a sync's progress on one line of the terminal.
struct SyncProgressLine: Sendable {
    let terminal: TerminalDevice

    /// Shows a step of the sync.
    ///
    /// The cursor returns to the start of the line, so the next output overwrites this one.
    @Sendable func show(_ progress: SyncProgress) {
        let text =
            switch progress {
            case .pushed(let count, let waiting): Text("cli.tasks.sending", ["count": count, "waiting": waiting]).text
            case .pulled(let count, _): Text("cli.tasks.receiving", ["count": count]).text
            }
        terminal.show("\r\u{1B}[K\(text)\r\u{1B}[K")
    }
}
