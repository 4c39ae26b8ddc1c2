import Authority
import Policies
import Synchronization

/// The settings in force; a reload replaces them whole or not at all.
final class CurrentSettings: Sendable {
    private let settings: Mutex<Settings>

    init(_ settings: Settings) {
        self.settings = Mutex(settings)
    }

    var value: Settings { settings.withLock { $0 } }

    /// The authority's part, for which each request asks several times: a copy of all settings would count every reference
    /// in them, as would every other request.
    var authority: AuthoritySettings { settings.withLock { $0.authority } }

    /// The policies, likewise.
    var catalogue: PolicyCatalogue { settings.withLock { $0.catalogue } }

    func replace(by settings: Settings) {
        self.settings.withLock { $0 = settings }
    }
}
