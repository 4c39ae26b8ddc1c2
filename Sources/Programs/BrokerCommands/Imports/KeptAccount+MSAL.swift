import FlowModel
import OAuth
import Terminal

extension KeptAccount {
    private static let mostAccounts = 16
    private static let publicCloud = [
        "login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net",
    ]
    private static let aboutPerson: Set<String> = ["openid", "profile", "email", "offline_access"]

    static func all(msal json: JSONValue) throws(CommandFailure) -> [KeptAccount] {
        let source = Text("cli.broker.msalCache")
        guard let tokens = json["RefreshToken"]?.object, !tokens.isEmpty, tokens.count <= mostAccounts else {
            throw refusal(Text("cli.broker.importLacks", ["member": "RefreshToken", "source": source]))
        }
        var accounts: [KeptAccount] = []
        for token in tokens.sorted(by: { $0.key < $1.key }).map(\.value) {
            let environment = try token.requiredText("environment", of: source)
            let home = token["home_account_id"]?.string ?? ""
            guard !home.contains("-b2c_1") else { throw refusal(Text("cli.broker.importOfPolicy")) }
            let client = try token.requiredText("client_id", of: source)
            func entries(_ kind: String) -> [JSONValue] {
                (json[kind]?.object?.values.map { $0 } ?? []).filter {
                    $0["home_account_id"]?.string == home && $0["environment"]?.string == environment
                        && $0["client_id"]?.string == client
                }
            }
            let said = entries("IdToken").compactMap { $0["secret"]?.string }.compactMap(issuer(of:)).min()
            guard let issuer = said ?? issuer(environment, home: home) else {
                throw refusal(Text("cli.broker.importLacks", ["member": "IdToken", "source": source]))
            }
            let targets = entries("AccessToken").compactMap { $0["target"]?.string }.sorted()
            let target = targets.first ?? token["target"]?.string ?? ""
            accounts.append(
                KeptAccount(
                    name: name(of: issuer),
                    issuer: issuer,
                    clientID: client,
                    clientSecret: nil,
                    scopes: target.split(separator: " ").map(String.init).filter { !aboutPerson.contains($0) },
                    refreshToken: Secret(try token.requiredText("secret", of: source))
                )
            )
        }
        return accounts
    }

    /// Returns the issuer in an ID token without verifying it, or `nil` if the token cannot be read.
    private static func issuer(of idToken: String) -> String? {
        let parts = idToken.split(separator: ".")
        guard parts.count >= 2, let payload = Base64URL.decode(String(parts[1])) else { return nil }
        return (try? StrictJSON.parse(payload))?["iss"]?.string
    }

    /// Returns the issuer for an account id `USER.TENANT` in Microsoft's public cloud, or `nil` for other accounts.
    private static func issuer(_ environment: String, home: String) -> String? {
        let parts = home.split(separator: ".")
        guard publicCloud.contains(environment), parts.count == 2 else { return nil }
        return "https://login.microsoftonline.com/\(parts[1])/v2.0"
    }
}
