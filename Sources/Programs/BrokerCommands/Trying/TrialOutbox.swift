import Foundation

actor TrialOutbox {
    /// How long to wait for a message, which never arrives if its address belongs to no account.
    private static let patience: Duration = .seconds(3)
    private static let glance: Duration = .milliseconds(50)

    private let folder: String
    private var shown: Set<String> = []

    /// Reads messages from a folder, which need not exist yet.
    init(_ folder: String) {
        self.folder = folder
    }

    /// Returns the new messages, oldest first, and waits briefly for a message if `isWaiting` is `true`.
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
