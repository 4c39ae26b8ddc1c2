import AsyncHTTPClient
package import FlowModel
public import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// The error for a request that did not reach its server, for a cause that a user or an operator can fix.
public struct OutgoingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The causes that have a message of their own.
    public enum Cause: Hashable, Sendable {
        /// The certificate's issuer is not trusted, or `nil` if the issuer is unknown.
        case untrustedIssuer(String?)
        /// The time on this machine is outside the certificate's validity.
        case certificateTime(from: Date, until: Date, now: Date)
        /// The certificate is for another host name.
        case certificateName
        /// The host name cannot be resolved.
        case unknownHost
        /// The proxy requires a user name and a password (407), and none are configured.
        case proxyWithoutCredentials
        /// The proxy rejects the configured user name and password (407).
        case proxyRejectsCredentials
        /// The proxy responded to `CONNECT` with an error.
        case proxyRefusal
        /// No connection to the proxy can be opened, for the reason that the system gives.
        case proxyUnreachable(reason: String)
        /// The file that `SSL_CERT_FILE` names cannot be read, or contains no certificates.
        case authorityFile(String)
    }

    /// The name of the host that was not reached.
    public let host: String
    /// The cause of the failure.
    public let cause: Cause

    package init(_ cause: Cause, at host: String) {
        self.cause = cause
        self.host = host
    }

    /// A description of what happened and how to fix it.
    public var description: String { said.english }
}

extension OutgoingFailure: TextualError {
    /// The description in English and as a catalog message.
    package var said: EnglishText {
        switch cause {
        case .untrustedIssuer(let issuer?):
            EnglishText(
                "This machine does not trust the issuer of the certificate of \(host): \(issuer). Check the address, or add the issuer to the trusted certificate authorities.",
                "failure.certificate.issuer",
                ["host": host, "issuer": issuer]
            )
        case .untrustedIssuer(nil):
            EnglishText(
                "This machine does not trust the certificate of \(host). Check the address, or add its issuer to the trusted certificate authorities.",
                "failure.certificate.untrusted",
                ["host": host]
            )
        case .certificateTime(let from, let until, let now):
            Self.outsideValidity(host, Self.shown(from), Self.shown(until), Self.shown(now))
        case .certificateName:
            EnglishText(
                "The certificate of the server at \(host) is for another host name. Check the address.",
                "failure.certificate.name",
                ["host": host]
            )
        case .unknownHost:
            EnglishText(
                "The host name \(host) cannot be resolved. Check the address.",
                "failure.apiUnknownHost",
                ["host": host]
            )
        case .proxyWithoutCredentials:
            EnglishText(
                "The proxy requires authentication (407). Set outgoing.proxyUsername and outgoing.proxyPasswordFile.",
                "failure.proxy.authentication"
            )
        case .proxyRejectsCredentials:
            EnglishText(
                "The proxy rejects the user name or the password (407). Check outgoing.proxyUsername and outgoing.proxyPasswordFile.",
                "failure.proxy.credentials"
            )
        case .proxyRefusal:
            EnglishText(
                "The proxy refuses to connect to \(host). Ask the proxy's operator to allow connections to \(host).",
                "failure.proxy.refusal",
                ["host": host]
            )
        case .proxyUnreachable(let reason):
            EnglishText(
                "The proxy cannot be reached: \(reason). Check outgoing.proxy.",
                "failure.proxy.unreachable",
                ["reason": reason]
            )
        case .authorityFile(let file):
            EnglishText(
                "SSL_CERT_FILE names \(file), which contains no readable certificates. Correct the variable, or unset it.",
                "failure.certificate.authorityFile",
                ["file": file]
            )
        }
    }

    private static func outsideValidity(
        _ host: String,
        _ from: String,
        _ until: String,
        _ now: String
    ) -> EnglishText {
        EnglishText(
            "The certificate of \(host) is valid from \(from) to \(until), but this machine's clock shows \(now). If the clock is wrong, set it. Otherwise, the server needs a new certificate.",
            "failure.certificate.time",
            ["host": host, "from": from, "until": until, "now": now]
        )
    }

    private static func shown(_ date: Date) -> String {
        date.formatted(
            .iso8601.year().month().day().dateSeparator(.dash).dateTimeSeparator(.space)
                .time(includingFractionalSeconds: false).timeSeparator(.colon).timeZone(separator: .omitted)
        )
    }
}

extension UntrustedServer: TextualError {
    /// The description in English and as a catalog message.
    package var said: EnglishText { said(at: "http://localhost:\(port)") }
}

extension OutgoingFailure {
    /// Creates the failure for an error of an HTTP client, or returns `nil` if the error has no message of its own.
    ///
    /// `proxy` is the proxy through which the client sent the request, or `nil` if there is none.
    init?(_ error: any Error, at host: String, over proxy: OutgoingRoute.Proxy?) {
        switch error {
        case let error as OutgoingFailure: self = error
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            self.init(.unknownHost, at: error.host)
        case let error as HTTPClientError where error == .proxyAuthenticationRequired:
            self.init(proxy?.password == nil ? .proxyWithoutCredentials : .proxyRejectsCredentials, at: host)
        case let error as HTTPClientError where error == .invalidProxyResponse: self.init(.proxyRefusal, at: host)
        case is NIOConnectionError where proxy != nil:
            self.init(.proxyUnreachable(reason: OutgoingHTTP.description(of: error)), at: host)
        // A connection that was open can only be reset or broken, and then the proxy was reached.
        case let error as IOError where proxy != nil && ![ECONNRESET, EPIPE].contains(error.errnoCode):
            self.init(.proxyUnreachable(reason: OutgoingHTTP.description(of: error)), at: host)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(.certificateName, at: host)
        default: return nil
        }
    }

    /// Creates the failure of a request over https if no server can be trusted, because `file` contains no certificates.
    ///
    /// `file` is the value of `SSL_CERT_FILE`, or `nil` if the variable is not set.
    init?(ofAuthorities file: String?, at url: String) {
        guard let file, let address = URLComponents(string: url), address.scheme?.lowercased() == "https",
            (try? NIOSSLCertificate.fromPEMFile(file))?.isEmpty ?? true
        else { return nil }
        self.init(.authorityFile(file), at: address.host ?? "")
    }
}

extension OutgoingHTTP {
    /// Returns the failure that names the cause of a client's error, or `nil` if the error has no message of its own.
    ///
    /// If the client does not trust the server's certificate, this method connects to the server at `url` again to read
    /// the certificate.
    public static func failure(
        _ error: any Error,
        at url: String,
        loopback: LoopbackServers = .known()
    ) async -> OutgoingFailure? {
        let host = URLComponents(string: url)?.host ?? ""
        if let failure = OutgoingFailure(ofAuthorities: TrustedAuthorities.file, at: url) { return failure }
        if CertificateProbe.concerns(error) {
            return await CertificateProbe(loopback: loopback).failure(at: url, host: host)
        }
        return OutgoingFailure(error, at: host, over: nil)
    }

    /// Returns the message for the caller that names the cause of an error, or `nil` if the error has none of its own.
    package static func cause(of error: any Error) -> EnglishText? {
        (error as? OutgoingFailure)?.said ?? (error as? UntrustedServer)?.said
    }

    /// Returns a description of an error for the log, without the source paths that TLS errors contain.
    public static func description(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            guard let reason = error.connectionErrors.first?.error else { break }
            return "\(error.host):\(error.port): \(description(of: reason))"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case let error as NIOSSLError: return "TLS: \(withoutPaths("\(error)"))"
        case let error as BoringSSLError: return "TLS: \(withoutPaths("\(error)"))"
        default: break
        }
        return "\(error)"
    }

    /// Removes ` at FILE:LINE`, which BoringSSL appends to each of its errors.
    private static func withoutPaths(_ text: String) -> String {
        text.replacing(#/ at .+?:\d+(?=\]|,|\)|$)/#, with: "")
    }
}
