import Terminal

/// The sentences that explain a policy: its steps in order, what each asks, and what ends it.
enum PolicyText: ScreenText, Hashable {
    case headline(id: String, kind: String, name: String)
    case signUp
    case signIn
    case profileEdit
    case passwordReset
    case stepUp
    case provider(String)
    case attributes(String)
    case newPassword(min: Int, max: Int)
    case addressCode
    case password(String)
    case code(String)
    case pin(String)
    case authenticator(String)
    case realm(String, url: String)
    case statement(String, issuer: String)
    case ends(attempts: Int, seconds: Int64)
    case endsNever
    case openScopes(String)
    case secondFactorAlways(String)
    case secondFactorNewDevice(String)
    case connector(String, step: String, url: String, seconds: Int64)
    case scope(String, checks: String)
    case clientScope(String, client: String, checks: String)
    case validation(String, rules: String)
    case atLeast(Int, of: String)
    case end

    var english: String {
        switch self {
        case .headline(let id, let kind, let name): "\(id): \(name) (\(kind))"
        case .signUp: "Who makes an account:"
        case .signIn: "Who signs in:"
        case .profileEdit: "Who edits the profile:"
        case .passwordReset: "Who forgot the password:"
        case .stepUp: "Who is signed in already:"
        case .provider(let name): "signs in with the provider \(name), instead of a password here"
        case .attributes(let names): "is asked for \(names)"
        case .newPassword(let min, let max): "chooses a password of \(min) to \(max) characters"
        case .addressCode: "returns the code that is sent to the e-mail address"
        case .password(let check): "\(check): is asked for name and password"
        case .code(let check): "\(check): returns a code that is sent by mail"
        case .pin(let check): "\(check): is asked for the PIN of this machine's user, or sets one"
        case .authenticator(let check): "\(check): is asked for the code of an authenticator, or adds one"
        case .realm(let check, let url): "\(check): is asked what the identity provider at \(url) asks"
        case .statement(let check, let issuer): "\(check): brings a statement that \(issuer) has signed"
        case .ends(let attempts, let seconds):
            "\(attempts) wrong answer\(attempts == 1 ? "" : "s") end the flow and block for \(seconds) s at first"
        case .endsNever: "wrong answers block nobody"
        case .openScopes(let scopes): "info: no check beside the sign-in is asked for \(scopes)"
        case .secondFactorAlways(let checks): "proves a second factor each time: \(checks)"
        case .secondFactorNewDevice(let checks): "proves a second factor on a new device: \(checks)"
        case .connector(let place, let step, let url, let seconds):
            "connector \(place) at \(url) is asked as \(step), within \(seconds) s; what fails there ends nothing else"
        case .scope(let scope, let checks): "the scope \(scope) asks for \(checks)"
        case .clientScope(let scope, let client, let checks):
            "the scope \(scope) of the client \(client) asks for \(checks) beside"
        case .validation(let name, let rules): "the validation \(name) asks for \(rules)"
        case .atLeast(let count, let names): "at least \(count) of \(names)"
        case .end: "15 minutes, a cancel, or 21 answers in no form end it, too."
        }
    }

    var german: String {
        switch self {
        case .headline(let id, let kind, let name): "\(id): \(name) (\(kind))"
        case .signUp: "Wer ein Konto anlegt:"
        case .signIn: "Wer sich anmeldet:"
        case .profileEdit: "Wer das Profil ändert:"
        case .passwordReset: "Wer das Kennwort vergessen hat:"
        case .stepUp: "Wer schon angemeldet ist:"
        case .provider(let name): "meldet sich mit dem Anbieter \(name) an, statt mit einem Kennwort hier"
        case .attributes(let names): "wird gefragt nach \(names)"
        case .newPassword(let min, let max): "wählt ein Kennwort von \(min) bis \(max) Zeichen"
        case .addressCode: "gibt den Code ein, der an die E-Mail-Adresse geht"
        case .password(let check): "\(check): wird nach Name und Kennwort gefragt"
        case .code(let check): "\(check): gibt einen Code ein, der mit der Post kommt"
        case .pin(let check): "\(check): wird nach der PIN des Benutzers dieser Maschine gefragt oder setzt eine"
        case .authenticator(let check):
            "\(check): wird nach dem Code einer Authenticator-App gefragt oder richtet eine ein"
        case .realm(let check, let url): "\(check): wird gefragt, was der Identitätsanbieter unter \(url) fragt"
        case .statement(let check, let issuer): "\(check): bringt eine Aussage, die \(issuer) unterschrieben hat"
        case .ends(let attempts, let seconds):
            "\(attempts) falsche Antwort\(attempts == 1 ? "" : "en") beenden den Vorgang und sperren zunächst für \(seconds) s"
        case .endsNever: "falsche Antworten sperren niemanden"
        case .openScopes(let scopes): "Hinweis: neben der Anmeldung wird nichts verlangt für \(scopes)"
        case .secondFactorAlways(let checks): "weist jedes Mal einen zweiten Faktor nach: \(checks)"
        case .secondFactorNewDevice(let checks): "weist auf einem neuen Gerät einen zweiten Faktor nach: \(checks)"
        case .connector(let place, let step, let url, let seconds):
            "der Konnektor \(place) unter \(url) wird als \(step) gefragt, binnen \(seconds) s; was dort fehlschlägt, beendet sonst nichts"
        case .scope(let scope, let checks): "die Berechtigung \(scope) verlangt \(checks)"
        case .clientScope(let scope, let client, let checks):
            "die Berechtigung \(scope) des Clients \(client) verlangt außerdem \(checks)"
        case .validation(let name, let rules): "die Prüfung \(name) verlangt \(rules)"
        case .atLeast(let count, let names): "mindestens \(count) von \(names)"
        case .end: "Auch 15 Minuten, ein Abbruch oder 21 Antworten ohne Form beenden ihn."
        }
    }
}
