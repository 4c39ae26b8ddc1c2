import Broker
import BrokerAPI
import FlowModel
import Flows

extension MethodTable {
    static let flows: [Method] = [
        .anyone(StartFlowRequest.self) { request, call in
            try await call.broker.startFlow(request, client: call.hello?.client, caller: call.caller)
        },
        .anyone(FlowGet.self) { request, call in
            try await call.broker.flows.engine.get(request.flow, owner: call.caller.owner)
        },
        .anyone(FlowWait.self) { request, call in
            let flows = call.broker.flows
            let known =
                if let revision = request.sinceRev {
                    Int(revision)
                } else {
                    try await flows.engine.get(request.flow, owner: call.caller.owner).rev
                }
            let timeout = Duration.milliseconds(request.timeoutMs)
            return try await flows.wait(request.flow, sinceRev: known, timeout: timeout, call.caller)
        },
        .anyone(FlowList.self) { _, call in try await call.broker.flows.engine.list(owner: call.caller.owner) },
        .anyone(FlowSubmission.self) { request, call in
            try await call.broker.flows.submit(request, caller: call.caller)
        },
        .anyone(FlowAction.self) { request, call in
            try await call.broker.flows.act(request, caller: call.caller).flow
        },
        .anyone(FlowCancel.self) { request, call in
            try await call.broker.flows.engine.cancel(request.flow, caller: call.caller, reason: request.reason)
        },
    ]
}
