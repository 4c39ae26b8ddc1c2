public import OAuth

extension Authentication: JSONConvertible {
    /// Reads an authentication from a JSON object, or returns `nil` if a required member is missing.
    public init?(json: JSONValue) {
        guard let user = json["user"]?["oid"]?.string, let proofs = json["proofs"].flatMap([Proof].init(json:)),
            let consented = json["consented"]?.bool, let isNewUser = json["isNewUser"]?.bool
        else { return nil }
        self.init(user: UserID(oid: user), proofs: proofs, consented: consented, isNewUser: isNewUser)
        said = json["said"]?.object
        isForgotPassword = json["isForgotPassword"]?.bool
    }

    /// The authentication as a JSON object, with the member names that `encode(to:)` uses.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "user": ["oid": .string(user.oid)], "proofs": proofs.json, "consented": .bool(consented),
            "isNewUser": .bool(isNewUser),
        ]
        members["said"] = said.map { .object($0) }
        members["isForgotPassword"] = isForgotPassword.map { .bool($0) }
        return .object(members)
    }
}

extension Proof: JSONConvertible {
    /// Reads a passed check from a JSON object, or returns `nil` if a required member is missing.
    public init?(json: JSONValue) {
        guard let check = json["check"]?.string, let credential = json["credential"]?.string,
            let at = json["at"]?.int, let acr = json["acr"]?.string, let amr = json["amr"]?.strings
        else { return nil }
        self.init(
            check: check,
            credential: Credential(rawValue: credential),
            at: at,
            acr: acr,
            amr: amr,
            client: json["client"]?.string,
            identity: json["identity"].flatMap(ExternalIdentity.init(json:)),
            isRemembered: json["isRemembered"]?.bool,
            elsewhere: json["elsewhere"].flatMap(ProofElsewhere.init(json:))
        )
    }

    /// The passed check as a JSON object, with the member names that `encode(to:)` uses.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "check": .string(check), "credential": .string(credential.rawValue), "at": .int(at), "acr": .string(acr),
            "amr": .array(amr.map { .string($0) }),
        ]
        members["client"] = client.map { .string($0) }
        members["identity"] = identity?.json
        members["isRemembered"] = isRemembered.map { .bool($0) }
        members["elsewhere"] = elsewhere?.json
        return .object(members)
    }
}

extension ProofElsewhere: JSONConvertible {
    /// Reads a provider's report about the user's authentication, or returns `nil` if the value is not an object.
    public init?(json: JSONValue) {
        guard json.object != nil else { return nil }
        self.init(at: json["at"]?.int, wasAskedAnew: json["wasAskedAnew"]?.bool)
    }

    /// The report as a JSON object, with the member names that `encode(to:)` uses.
    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members["at"] = at.map { .int($0) }
        members["wasAskedAnew"] = wasAskedAnew.map { .bool($0) }
        return .object(members)
    }
}
