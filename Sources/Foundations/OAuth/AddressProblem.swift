/// A reason why a URL is rejected, described by a predicate such as `must not have a fragment`.
public enum AddressProblem: Error, Hashable, Sendable {
    case notHTTPS
    case notHTTP
    case hasUser
    case hasFragment
    /// The URL contains a query or a fragment.
    case hasQuery
    /// The port is not in the range from 1 to 65535.
    case otherPort
    /// The URL uses `http` for a host that is not a loopback host.
    case unprotected
    /// The same problem as ``unprotected``, with the URL for the message.
    case unprotectedText(String)
    case linkLocal
    case portInPath(String, corrected: String)
    case capitals(String, corrected: String)
    /// The URL of an issuer's metadata, instead of the issuer.
    case metadataPath(String, corrected: String)
    case hasPath(String, corrected: String)
    case endsInSlash(String, corrected: String)
    case outOfBand
    /// The redirect URI is longer than `most` bytes.
    case tooLong(most: Int)
    /// The redirect URI is not absolute, or contains a fragment, user name, password or wildcard.
    case notWhole
    case noHost
    /// The redirect URI uses `http` for a host that is not a loopback host.
    case notLoopback
    /// The redirect URI uses a private-use scheme that is not a reversed domain name.
    case otherScheme
}

extension AddressProblem: CustomStringConvertible {
    /// The predicate in English, such as `must not have a fragment`.
    public var description: String {
        switch self {
        case .notHTTPS: "must be a URL that begins with https://"
        case .notHTTP: "must be a URL that begins with http:// or https://"
        case .hasUser: "must not contain a user name or password"
        case .hasFragment: "must not have a fragment"
        case .hasQuery: "must not have a query or a fragment"
        case .otherPort: "must have a port from 1 to 65535"
        case .unprotected: "is an http URL, which is allowed for loopback addresses only; use https"
        case .unprotectedText(let text): "is \(text); http is allowed for loopback addresses only, so use https"
        case .linkLocal: "must not be a link-local address, such as that of a cloud metadata service"
        case .portInPath(let text, let corrected): "is \(text); put the port after the host: \(corrected)"
        case .capitals(let text, let corrected): "is \(text); write the host in lower case: \(corrected)"
        case .metadataPath(let text, let corrected):
            "is \(text), the address of the metadata; write the issuer: \(corrected)"
        case .hasPath(let text, let corrected): "is \(text); remove the path: \(corrected)"
        case .endsInSlash(let text, let corrected): "is \(text); remove the / at the end: \(corrected)"
        case .outOfBand:
            "is an out-of-band address, which cannot be registered; use a loopback address such as http://localhost, or the device code flow"
        case .tooLong(let most): "must be at most \(most) bytes long"
        case .notWhole: "must be an absolute URI without a fragment, user name or wildcard"
        case .noHost: "must have a host"
        case .notLoopback: "must use https; http is allowed for loopback addresses only"
        case .otherScheme: "uses a private-use scheme, which must be a reversed domain name such as com.example.app"
        }
    }
}
