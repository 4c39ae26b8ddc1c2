import Foundation
import OAuth

/// The exchange of kubectl with a program that has its credential (`client.authentication.k8s.io`).
struct KubectlCredential {
    /// The version that kubectl asks for, which the answer must have.
    let version: String
    /// The cluster's address; nil where kubectl was not told to say it.
    let server: String?

    private static let versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

    /// Reads `KUBERNETES_EXEC_INFO`; nil if it is no `ExecCredential` of a version that is known here.
    init?(_ text: String) {
        guard let json = try? StrictJSON.parse(Array(text.utf8)), json["kind"]?.string == "ExecCredential",
            let version = json["apiVersion"]?.string, Self.versions.contains(version)
        else { return nil }
        self.version = version
        server = json["spec"]?["cluster"]?["server"]?.string
    }

    /// The answer with a token and its end in milliseconds since 1970 UTC.
    func answer(_ token: Secret, expiresAt: Int64) -> JSONValue {
        let end = Date(timeIntervalSince1970: Double(expiresAt / 1000)).formatted(.iso8601)
        return [
            "apiVersion": .string(version), "kind": "ExecCredential",
            "status": ["token": .string(token.reveal()), "expirationTimestamp": .string(end)],
        ]
    }
}
