import StrictYAML

/// The calls outside within a policy's file.
extension PolicyShape {
    static let connectors: [Key] = [
        Key(
            Connector.Place.afterFederation.rawValue,
            .object(connector),
            "Asked after the first sign-in with a provider, before the attributes are asked: `PostFederationSignup`."
        ),
        Key(
            Connector.Place.beforeUserCreated.rawValue,
            .object(connector),
            "Asked when the attributes are known, before the account is made: `PostAttributeCollection`."
        ),
        Key(
            Connector.Place.beforeToken.rawValue,
            .object(connector),
            "Asked before tokens are issued, but not at a renewal: `PreTokenIssuance`."
        ),
    ]

    private static let connector: [Key] = [
        Key(
            required: "url",
            .text(.init(maxLength: 512, form: "a URL")),
            "Where the request goes; https, or http on this machine."
        ),
        Key(
            "auth",
            .either([.choice(["none"]), .object(proof)]),
            default: "none",
            "How requests prove where they come from."
        ),
        Key(
            "timeoutSec",
            .integer(1...30),
            default: "\(Connector.standardTimeoutSec)",
            "How long one answer may take, in seconds; without one the request is sent once more."
        ),
    ]

    private static let proof: [Key] = [
        Key(
            required: "kind",
            .choice(["basic", "bearer", "clientCertificate"]),
            "A name and a password, a token, or a certificate in TLS."
        ),
        Key("username", .text(.init(maxLength: 256)), "The name of `kind: basic`."),
        Key("passwordFile", .text(file), "The file with the password of `kind: basic` on one line, mode 0600."),
        Key("tokenFile", .text(file), "The file with the token of `kind: bearer` on one line, mode 0600."),
        Key("certificateFile", .text(file), "The certificate of `kind: clientCertificate`, in PEM."),
        Key("privateKeyFile", .text(file), "Its key, in PEM, mode 0600."),
    ]

    private static let file = TextRule(
        maxLength: 1024,
        form: "a path; if relative, from the policy's folder; or `credential:` and a name"
    )
}
