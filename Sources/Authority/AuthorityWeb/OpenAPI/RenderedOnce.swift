import Synchronization

/// A document that is rendered again only after what it describes has changed.
final class RenderedOnce<Subject: Equatable & Sendable>: Sendable {
    private let last = Mutex<(subject: Subject, bytes: [UInt8])?>(nil)

    /// Returns the document, rendered now if it was not rendered for this subject last.
    func bytes(for subject: Subject, render: (Subject) -> [UInt8]) -> [UInt8] {
        last.withLock { last in
            if let last, last.subject == subject { return last.bytes }
            let bytes = render(subject)
            last = (subject, bytes)
            return bytes
        }
    }
}
