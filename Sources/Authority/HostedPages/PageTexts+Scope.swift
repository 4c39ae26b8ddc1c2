import Localization
import OAuth

extension PageTexts {
    /// Returns the description of a scope, or of an API as a whole for `<api>/`.
    func words(ofScope name: String, or words: String) -> String {
        let api = name.dropLast()
        if name.last == "/", !api.contains("/") { return text("step.consent.api", ["api": String(api)]) }
        return Self.personal[name].map { text($0) } ?? words
    }

    private static let personal = [
        Scope.profile.name: "step.consent.profile", Scope.email.name: "step.consent.email",
        Scope.offlineAccess.name: "step.consent.offline",
    ]
}
