import Synchronization

/// A document that is rendered again only if its subject has changed.
final class RenderedOnce<Subject: Equatable & Sendable>: Sendable {
    private let last = Mutex<(subject: Subject, bytes: [UInt8])?>(nil)

    /// Returns the document, rendered again if the subject differs from the last one.
    func bytes(for subject: Subject, render: (Subject) -> [UInt8]) -> [UInt8] {
        last.withLock { last in
            if let last, last.subject == subject { return last.bytes }
            let bytes = render(subject)
            last = (subject, bytes)
            return bytes
        }
    }
}
