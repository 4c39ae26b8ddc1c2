import Localization
import OAuth

extension PageTexts {
    func words(ofScope name: String, or words: String) -> String {
        Self.personal[name].map { text($0) } ?? words
    }

    private static let personal = [
        Scope.profile.name: "step.consent.profile", Scope.email.name: "step.consent.email",
        Scope.offlineAccess.name: "step.consent.offline",
    ]
}
