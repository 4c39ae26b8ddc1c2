import Foundation
import Moments
import OAuth

/// Our proof at a token endpoint of who we are (RFC 6749 §2.3.1, RFC 7523 §2.2).
struct ClientProofAtProvider {
    /// The fields of the form.
    let form: [(name: String, value: String)]
    /// The `Authorization` header; nil for a proof in the form.
    let authorization: Secret?

    /// Makes the proof with our key, if we have one there, else with our secret.
    init(
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata,
        at now: Moment
    ) throws(ProviderError) {
        guard let key = registration.key else {
            self.init(registration, offered: metadata.authentication)
            return
        }
        let statement = try key.assertion(of: registration.clientID, metadata, at: now)
        self.init(
            form: [
                ("client_id", registration.clientID), ("client_assertion_type", ClientKey.assertionType),
                ("client_assertion", statement.reveal()),
            ],
            authorization: nil
        )
    }

    /// Makes the proof in the configured way, else in the best one that the provider offers.
    init(
        _ registration: ProviderRegistration,
        as method: ClientSecretMethod? = nil,
        offered: [String]
    ) {
        let id = (name: "client_id", value: registration.clientID)
        guard let secret = registration.secret else {
            self.init(form: [id], authorization: nil)
            return
        }
        // `client_secret_basic` is the default where nothing is said (OpenID Connect Discovery §3).
        let offersPostOnly = !offered.isEmpty && !offered.contains("client_secret_basic")
        switch method ?? registration.authentication ?? (offersPostOnly ? .post : .basic) {
        case .none: self.init(form: [id], authorization: nil)
        case .post: self.init(form: [id, ("client_secret", secret.reveal())], authorization: nil)
        case .basic:
            let pair = [registration.clientID, secret.reveal()].map(Self.encoded).joined(separator: ":")
            self.init(form: [], authorization: Secret("Basic " + Data(pair.utf8).base64EncodedString()))
        }
    }

    private init(form: [(name: String, value: String)], authorization: Secret?) {
        self.form = form
        self.authorization = authorization
    }

    /// Encodes a text as in a form.
    private static func encoded(_ text: String) -> String { String(Form.encoded([("", text)]).dropFirst()) }
}
