import type { ModelSpecification } from './models.ts';
import type { EmulatorSettings } from './settings.ts';

/** The model lists of OpenAI, vLLM, and LiteLLM. */

/**
 * Returns the model list in the format of the OpenAI API:
 * https://platform.openai.com/docs/api-reference/models/list
 *
 * If the gateway is vLLM, adds vLLM's own fields:
 * https://github.com/vllm-project/vllm/blob/v0.10.2/vllm/entrypoints/openai/protocol.py
 */
export function gatewayModels({ gateway, models }: EmulatorSettings): object {
  const entryOf = (model: ModelSpecification) => {
    const id = model.model_id;
    const entry = { id, object: 'model', created: 0, owned_by: 'emulator' };
    if (gateway === 'litellm') return { ...entry, created: 1_677_610_602, owned_by: 'openai' };
    if (gateway !== 'vllm') return entry;
    const max_model_len = model.model_limits?.max_sequence_length ?? null;
    const own = { root: id, parent: null, max_model_len, permission: [] };
    return { ...entry, owned_by: 'vllm', ...own };
  };
  return { object: 'list', data: models.map(entryOf) };
}

/**
 * Returns LiteLLM's response to `/model/info`, with `null` for unknown values:
 * https://docs.litellm.ai/docs/proxy/model_management
 */
export function gatewayModelInfo({ models }: EmulatorSettings): object {
  const data = models.map(({ model_id: name, model_limits: limits, functions, task_ids }) => ({
    model_name: name,
    litellm_params: { model: `hosted_vllm/${name}`, api_base: 'http://10.0.0.1:8000/v1' },
    model_info: {
      id: `id of ${name}`,
      db_model: false,
      key: name,
      max_tokens: limits?.max_output_tokens ?? null,
      max_input_tokens: limits?.max_sequence_length ?? null,
      max_output_tokens: limits?.max_output_tokens ?? null,
      input_cost_per_token: 0,
      litellm_provider: 'hosted_vllm',
      mode: 'chat',
      supports_system_messages: null,
      supports_vision: functions.some(({ id }) => id === 'image_chat'),
      supports_function_calling: Array.isArray(task_ids) && task_ids.includes('function_calling'),
    },
  }));
  return { data };
}
