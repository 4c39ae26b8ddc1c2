import Synchronization

final class RenderedOnce<Subject: Equatable & Sendable>: Sendable {
    private let last = Mutex<(subject: Subject, bytes: [UInt8])?>(nil)

    func bytes(for subject: Subject, render: (Subject) -> [UInt8]) -> [UInt8] {
        last.withLock { last in
            if let last, last.subject == subject { return last.bytes }
            let bytes = render(subject)
            last = (subject, bytes)
            return bytes
        }
    }
}
