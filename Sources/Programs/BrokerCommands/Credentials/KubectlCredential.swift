import Foundation
import OAuth

/// The exchange between kubectl and its credential plugin (`client.authentication.k8s.io`).
struct KubectlCredential {
    /// The API version, which must be the same in the request and the response.
    let version: String
    /// The cluster's URL, or `nil` if kubectl is not configured to pass it.
    let server: String?

    private static let versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

    /// Parses `KUBERNETES_EXEC_INFO`, or returns `nil` if it is not an `ExecCredential` in a supported version.
    init?(_ text: String) {
        guard let json = try? StrictJSON.parse(Array(text.utf8)), json["kind"]?.string == "ExecCredential",
            let version = json["apiVersion"]?.string, Self.versions.contains(version)
        else { return nil }
        self.version = version
        server = json["spec"]?["cluster"]?["server"]?.string
    }

    /// Returns the response with a token that expires at `expiresAt`, in milliseconds since 1970 UTC.
    func answer(_ token: Secret, expiresAt: Int64) -> JSONValue {
        let end = Date(timeIntervalSince1970: Double(expiresAt / 1000)).formatted(.iso8601)
        return [
            "apiVersion": .string(version), "kind": "ExecCredential",
            "status": ["token": .string(token.reveal()), "expirationTimestamp": .string(end)],
        ]
    }
}
