import AuthorityStore
import FlowModel
import Foundation
import Moments
public import OAuth
import Policies
import Storage
import StoreRefusals

extension TokenProtocol {
    /// The maximum number of random user codes to try until an unused code is found.
    private static let mostDraws = 5

    /// Handles a request to the device authorization endpoint (RFC 8628 §3.2).
    ///
    /// - Throws: `OAuthError`, or `Refusal` for a rule that also applies to requests over the Unix socket.
    public func authorizeDevice(_ request: ProgramRequest) async throws -> JSONValue {
        try await Authority.rows.storing {
            let opened = try await authority.open(request, at: .deviceAuthorization)
            // The client will use the device code grant, so it must be registered for it (RFC 8628 §3.1).
            let call = try ProgramChecks.registered(opened, for: .deviceCode)
            let scopes = try ProgramChecks.scopes(call)
            let resource = try ProgramChecks.resource(call)
            let resolved = try call.resolve(scopes: scopes, resource: resource, omittedScope: .apiDefaults)
            let code = OpaqueCode.random(at: call.now)
            let userCode = try await keep(resolved, code, call)
            let page = call.settings.base + Devices.path
            return [
                "device_code": .string(code.reveal()), "user_code": .string(UserCode.shown(userCode)),
                "verification_uri": .string(page),
                "verification_uri_complete": .string("\(page)?user_code=\(UserCode.shown(userCode))"),
                "expires_in": .int(Devices.life.milliseconds / 1000), "interval": .int(Devices.interval),
                "message": .string("To sign in, open \(page) and enter the code \(UserCode.shown(userCode))."),
            ]
        }
    }

    /// Stores a device's request under an unused user code, and returns the user code.
    private func keep(_ resolved: ResolvedRequest, _ code: Secret, _ call: ProgramCall) async throws -> String {
        let row = DeviceCodeRow(
            hash: OpaqueCode.hash(code),
            origin: call.request.origin.key,
            client: call.client.id,
            policy: call.policy.id.description,
            body: try JSONEncoder().encode(resolved),
            interval: Devices.interval,
            expires: Deadline(Devices.life, after: call.now)
        )
        for _ in 0..<Self.mostDraws {
            let userCode = UserCode.random()
            if try await isFree(userCode, for: row, call.share) { return userCode }
        }
        throw OAuthError.serverError(detail: "no user code is free")
    }

    /// Stores a device's request under a user code, or returns `false` if another request uses the code.
    private func isFree(
        _ userCode: String,
        for row: DeviceCodeRow,
        _ share: RequestShare
    ) async throws -> Bool {
        do {
            try await authority.store.deviceCodes.add(row, userCode: userCode, share: share)
            return true
        } catch {
            guard error.code == .conflict else { throw error }
            return false
        }
    }
}
