import Synchronization

/// The settings in force; a reload replaces them whole or not at all.
final class CurrentSettings: Sendable {
    private let settings: Mutex<Settings>

    init(_ settings: Settings) {
        self.settings = Mutex(settings)
    }

    var value: Settings { settings.withLock { $0 } }

    func replace(by settings: Settings) {
        self.settings.withLock { $0 = settings }
    }
}
