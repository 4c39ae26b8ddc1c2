import FlowModel
public import StrictYAML

/// The keys and values that a policy's file may have.
public enum PolicyShape {
    /// Every key of `policies/<id>.yaml`.
    public static let policy: Shape = .object([
        Key(
            required: "kind",
            .choice(PolicyKind.allCases.map(\.rawValue)),
            "What the policy does."
        ),
        Key("displayName", .text(.init(maxLength: 256)), "What people see it called; if left out, its kind in words."),
        Key("extends", .either([.choice(["none"]), .text(policyID)]), default: "none", extendsMeaning),
        Key(
            "identityProviders",
            .list(.text(providerName), count: 1...32),
            default: "[local]",
            "Who proves people: `local` is this authority, others are names of `identityProviders` in `tokenbrokerd.yaml`. Without all of them the policy is unavailable."
        ),
        Key(
            "signInName",
            .choice(SignInName.allCases.map(\.rawValue)),
            default: "email",
            "What people type to say who they are."
        ),
        Key("attributes", .list(.object(attribute), count: 0...100), default: "[]", attributesMeaning),
        Key("predicates", predicates, default: "{}", "What an answer may have to be, each under a name."),
        Key("validations", validations, default: "{}", "Groups of predicates, under the name that `validation` says."),
        Key(
            "claims",
            .list(.either([.text(.init(maxLength: 64, form: "an attribute's name")), .object(claim)]), count: 0...100),
            default: "[]",
            "What tokens say beside `sub` and `oid`: attributes, `newUser`, `isForgotPassword`, `identityProvider`, "
                + "`emails`, `imf.user`."
        ),
        Key("tokens", .object(tokens), "How long tokens live."),
        Key("session", .object(session), "How the policy remembers who has signed in."),
        Key("password", password, default: "{strength: strong}", "What a new password must look like."),
        Key("signInChecks", checkNames, default: "[UserLogin]", "The checks that sign a person in; at least one."),
        Key("secondFactor", .object(secondFactor), "A second proof after the sign-in's."),
        Key(
            "scopes",
            .dictionary(key: scopeName, checkNames, count: 0...1000),
            default: "{}",
            "The scopes the policy grants and the checks that each asks for; a scope left out is not granted."
        ),
        Key("mandatoryScope", checkNames, default: "[]", "Checks that every token asks for, whatever its scopes."),
        Key("clientScopes", clientScopes, default: "{}", clientScopesMeaning),
        Key("connectors", .object(connectors), "Calls outside between steps: API connectors."),
        Key("pages", .object(pages), "The look of pages and prompts."),
        Key("languages", .object(languages), "The language of texts."),
    ])

    private static let extendsMeaning =
        "Another policy whose keys count where this one leaves them out; mappings are joined, lists replaced."
    private static let attributesMeaning =
        "What sign-up asks, in this order, the sign-in name first if it is not listed; or what a profile edit lets people change."

    private static let clientScopesMeaning =
        "Checks that a client's scopes ask for beside those of `scopes`, by client and scope."
    private static let clientScopes: Shape = .dictionary(
        key: clientID,
        .dictionary(key: scopeName, .list(.text(checkName), count: 1...16), count: 0...1000),
        count: 0...1000
    )

    private static let clientID = TextRule(maxLength: 128, form: "a client's id", pattern: "^[!-~]+$") {
        $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? nil : "must be a client's id, which has no space"
    }

    static let policyID = TextRule(
        maxLength: PolicyID.maximumLength,
        form: "a policy's name",
        pattern: "^[bB]2[cC]_1_\\w+$"
    ) {
        (try? PolicyID($0)) == nil ? "names no policy: \(PolicyID.Invalid())" : nil
    }

    static let providerName = TextRule(
        maxLength: 64,
        form: "`local` or a provider's name",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    ) {
        $0.isName(marks: "._-", digitFirst: true) ? nil : "must be letters, digits, dots, hyphens and underscores"
    }

    static let checkName = TextRule(maxLength: 64, form: "a check's name", pattern: "^[A-Za-z][A-Za-z0-9_]*$") {
        $0.isName(marks: "_") ? nil : "must be letters, digits and underscores"
    }

    static let scopeName = TextRule(maxLength: 128, form: "a scope's name", pattern: "^[!#-\\[\\]-~]+$") {
        // RFC 6749 §3.3
        $0.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
            ? nil : "must be letters, digits and signs without a space, a quotation mark or a backslash"
    }

    static let language = TextRule(
        maxLength: 35,
        form: "a language such as `en`",
        pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$"
    ) {
        LanguageTag(rawValue: $0) == nil ? "must be a language such as en or pt-BR" : nil
    }

    static let checkNames: Shape = .list(.text(checkName), count: 0...16)

    private static let claim: [Key] = [
        Key(required: "name", .text(.init(maxLength: 64, form: "an attribute's name")), "The attribute."),
        Key(
            "as",
            .text(
                .init(maxLength: 64, form: "a claim's name", pattern: "^[A-Za-z][A-Za-z0-9_.-]*$") {
                    $0.isName(marks: "_.-") ? nil : "must be letters, digits, `_`, `.` or `-`"
                }
            ),
            "Its name in tokens; if left out the usual one, so `displayName` is `name`."
        ),
    ]
}
