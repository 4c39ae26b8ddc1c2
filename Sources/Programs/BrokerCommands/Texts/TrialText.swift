import Terminal

/// The sentences of `policy try`.
enum TrialText: ScreenText, Hashable {
    case noTerminal
    case noPolicy
    case namePolicy
    case elsewhere(id: String, authority: String)
    case needsProvider(id: String, provider: String)
    case signInThere(id: String)
    case callsOutside(id: String, key: String, url: String)
    case letCall
    case noFolder(String)
    case noPort
    case unreadable(String)
    case notStarted(String)
    case noPerson(String)
    case person(name: String, password: String)
    case mail(to: String, subject: String)
    case succeeded(String)
    case scopes(String)
    case proved(acr: String, amr: String)
    case accessLifetime(Int64)
    case lifetimes(access: Int64, id: Int64, refresh: Int64)
    case claims

    var english: String {
        switch self {
        case .noTerminal: "there is no terminal to walk the policy in"
        case .noPolicy: "this is not the file of a policy"
        case .namePolicy: "name one, such as `tokenbroker policy try policies/b2c_1_sign_in.yaml`"
        case .elsewhere(let id, let authority):
            "\(id) is run by the authority \(authority), which nothing here can stand in for"
        case .needsProvider(let id, let provider):
            "\(id) signs in with the provider \(provider), which is not configured for a trial"
        case .signInThere(let id): "where it is configured, `tokenbroker sign-in --policy \(id)` runs it"
        case .callsOutside(let id, let key, let url): "\(id) calls \(url) (`\(key)`), as it would in production"
        case .letCall: "if the trial may call it with the policy's real credentials, add --call-outside"
        case .noFolder(let reason): "the folder of the trial cannot be made: \(reason)"
        case .noPort: "no port of 127.0.0.1 and [::1] is free for the trial"
        case .unreadable(let path): "\(path) cannot be read, and the policies name it"
        case .notStarted(let said): "the daemon of the trial did not start: \(said)"
        case .noPerson(let field): "nobody could be made who signs in: the sign-up asks for \(field)"
        case .person(let name, let password): "Somebody with an account is there: \(name), password \(password)"
        case .mail(let to, let subject): "Mail to \(to): \(subject)"
        case .succeeded(let id): "\(id) succeeded. A client gets:"
        case .scopes(let scopes): "scopes: \(scopes)"
        case .proved(let acr, let amr): "proved: acr \(acr), amr \(amr)"
        case .accessLifetime(let seconds): "lifetimes: access token \(seconds) s"
        case .lifetimes(let access, let id, let refresh):
            "lifetimes: access token \(access) s, ID token \(id) s, refresh token \(refresh) s"
        case .claims: "claims:"
        }
    }

    var german: String {
        switch self {
        case .noTerminal: "es gibt kein Terminal, in dem die Richtlinie durchlaufen werden kann"
        case .noPolicy: "das ist nicht die Datei einer Richtlinie"
        case .namePolicy: "nennen Sie eine, etwa `tokenbroker policy try policies/b2c_1_sign_in.yaml`"
        case .elsewhere(let id, let authority):
            "\(id) führt der Aussteller \(authority) aus, den hier nichts ersetzen kann"
        case .needsProvider(let id, let provider):
            "\(id) meldet mit dem Anbieter \(provider) an, der für einen Versuch nicht eingerichtet ist"
        case .signInThere(let id): "wo er eingerichtet ist, führt `tokenbroker sign-in --policy \(id)` sie aus"
        case .callsOutside(let id, let key, let url): "\(id) ruft \(url) auf (`\(key)`), wie im Betrieb"
        case .letCall:
            "darf der Versuch das mit den echten Zugangsdaten der Richtlinie, setzen Sie --call-outside hinzu"
        case .noFolder(let reason): "der Ordner des Versuchs kann nicht angelegt werden: \(reason)"
        case .noPort: "für den Versuch ist kein Port von 127.0.0.1 und [::1] frei"
        case .unreadable(let path): "\(path) lässt sich nicht lesen, und die Richtlinien nennen es"
        case .notStarted(let said): "der Dienst des Versuchs ist nicht gestartet: \(said)"
        case .noPerson(let field): "niemand ließ sich anlegen, der sich anmeldet: die Registrierung fragt nach \(field)"
        case .person(let name, let password): "Jemand mit einem Konto ist da: \(name), Kennwort \(password)"
        case .mail(let to, let subject): "Nachricht an \(to): \(subject)"
        case .succeeded(let id): "\(id) ist gelungen. Eine Anwendung bekommt:"
        case .scopes(let scopes): "Berechtigungen: \(scopes)"
        case .proved(let acr, let amr): "nachgewiesen: acr \(acr), amr \(amr)"
        case .accessLifetime(let seconds): "Gültigkeit: Zugriffstoken \(seconds) s"
        case .lifetimes(let access, let id, let refresh):
            "Gültigkeit: Zugriffstoken \(access) s, ID-Token \(id) s, Erneuerungstoken \(refresh) s"
        case .claims: "Angaben:"
        }
    }
}
