import Foundation

/// The messages of a trial.
///
/// Each message is returned only once.
actor TrialOutbox {
    /// How long to wait for an expected message.
    ///
    /// The wait is limited, because no message is sent to an address without an account.
    private static let patience: Duration = .seconds(3)
    /// How often the folder is read while waiting.
    private static let glance: Duration = .milliseconds(50)

    private let folder: String
    private var shown: Set<String> = []

    /// Reads a folder that need not exist yet.
    init(_ folder: String) {
        self.folder = folder
    }

    /// Returns the messages that have arrived since the last call, oldest first.
    ///
    /// - Parameter isWaiting: Whether to wait because a message is expected.
    /// - Returns: The messages. The array is empty if the task is cancelled.
    func news(isWaiting: Bool) async -> [TrialMail] {
        let end = ContinuousClock.now + Self.patience
        while true {
            let mails = look()
            if !mails.isEmpty || !isWaiting || ContinuousClock.now >= end || Task.isCancelled { return mails }
            try? await Task.sleep(for: Self.glance)
        }
    }

    private func look() -> [TrialMail] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let news = names.filter { $0.hasSuffix(".eml") && !$0.hasPrefix(".") && !shown.contains($0) }
        let mails = news.compactMap { name -> (mail: TrialMail, at: Date)? in
            let path = "\(folder)/\(name)"
            guard let data = FileManager.default.contents(atPath: path), let mail = TrialMail(data) else { return nil }
            let made = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            shown.insert(name)
            return (mail, made ?? .distantPast)
        }
        return mails.sorted { $0.at < $1.at }.map(\.mail)
    }
}
