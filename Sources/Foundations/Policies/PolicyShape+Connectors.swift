import StrictYAML

extension PolicyShape {
    static let connectors: [Key] = [
        Key(
            Connector.Place.afterFederation.rawValue,
            .object(connector),
            "Called after the first sign-in with a provider, before the attributes are collected: `PostFederationSignup`."
        ),
        Key(
            Connector.Place.beforeUserCreated.rawValue,
            .object(connector),
            "Called after the attributes are collected, before the account is created: `PostAttributeCollection`."
        ),
        Key(
            Connector.Place.beforeToken.rawValue,
            .object(connector),
            "Called before tokens are issued, but not at a renewal: `PreTokenIssuance`."
        ),
    ]

    private static let connector: [Key] = [
        Key(
            required: "url",
            .text(.init(maxLength: 512, form: "a URL")),
            "The URL that receives the request: https, or http on this machine."
        ),
        Key(
            "auth",
            .either([.choice(["none"]), .object(proof)]),
            default: "none",
            "How requests are authenticated."
        ),
        Key(
            "timeoutSec",
            .integer(1...30),
            default: "\(Connector.standardTimeoutSec)",
            "The time limit for a response, in seconds. Without a response the request is sent once more."
        ),
    ]

    private static let proof: [Key] = [
        Key(
            required: "kind",
            .choice(["basic", "bearer", "clientCertificate"]),
            "A user name and a password, a bearer token, or a TLS client certificate."
        ),
        Key("username", .text(.init(maxLength: 256)), "The user name, for `kind: basic`."),
        Key("passwordFile", .text(file), "The file with the password on one line, mode 0600, for `kind: basic`."),
        Key("tokenFile", .text(file), "The file with the token on one line, mode 0600, for `kind: bearer`."),
        Key("certificateFile", .text(file), "The certificate in PEM, for `kind: clientCertificate`."),
        Key("privateKeyFile", .text(file), "The key of the certificate in PEM, mode 0600."),
    ]

    private static let file = TextRule(
        maxLength: 1024,
        form: "a path (absolute or relative to the policy's folder) or `credential:NAME`"
    )
}
