#include "first_shader.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "at_exit.h"
#include "memory.h"

#define BYTES 256u       /* of its buffer, whose values do not matter */
#define POLL_NS 1000000u /* what exit() may come between: a destructor, and ours after it */

/* A shader with what a compiler has parts for: memory, a loop, both kinds of numbers. From this
   GLSL, by glslangValidator -V --target-env vulkan1.1 and spirv-opt --strip-debug -O:

   #version 450
   layout(local_size_x = 1) in;
   layout(std430, binding = 0) buffer Numbers { uint numbers[64]; };
   void main()
   {
       float sum = 1.0;
       for (uint i = 0u; i < (numbers[63] & 7u); i++)
           sum += float(numbers[i]);
       numbers[0] = uint(sum) ^ 0x5eed5eedu;
   }
*/
static const uint32_t spirv[] = {
    0x07230203, 0x00010300, 0x0008000b, 0x00000036, 0x00000000, 0x00020011, 0x00000001, 0x0006000b,
    0x00000001, 0x4c534c47, 0x6474732e, 0x3035342e, 0x00000000, 0x0003000e, 0x00000000, 0x00000001,
    0x0005000f, 0x00000005, 0x00000004, 0x6e69616d, 0x00000000, 0x00060010, 0x00000004, 0x00000011,
    0x00000001, 0x00000001, 0x00000001, 0x00040047, 0x00000015, 0x00000006, 0x00000004, 0x00050048,
    0x00000016, 0x00000000, 0x00000023, 0x00000000, 0x00030047, 0x00000016, 0x00000002, 0x00040047,
    0x00000018, 0x00000022, 0x00000000, 0x00040047, 0x00000018, 0x00000021, 0x00000000, 0x00040047,
    0x00000033, 0x0000000b, 0x00000019, 0x00020013, 0x00000002, 0x00030021, 0x00000003, 0x00000002,
    0x00030016, 0x00000006, 0x00000020, 0x0004002b, 0x00000006, 0x00000009, 0x3f800000, 0x00040015,
    0x0000000a, 0x00000020, 0x00000000, 0x0004002b, 0x0000000a, 0x0000000d, 0x00000000, 0x0004002b,
    0x0000000a, 0x00000014, 0x00000040, 0x0004001c, 0x00000015, 0x0000000a, 0x00000014, 0x0003001e,
    0x00000016, 0x00000015, 0x00040020, 0x00000017, 0x0000000c, 0x00000016, 0x0004003b, 0x00000017,
    0x00000018, 0x0000000c, 0x00040015, 0x00000019, 0x00000020, 0x00000001, 0x0004002b, 0x00000019,
    0x0000001a, 0x00000000, 0x0004002b, 0x00000019, 0x0000001b, 0x0000003f, 0x00040020, 0x0000001c,
    0x0000000c, 0x0000000a, 0x0004002b, 0x0000000a, 0x0000001f, 0x00000007, 0x00020014, 0x00000021,
    0x0004002b, 0x00000019, 0x0000002a, 0x00000001, 0x0004002b, 0x0000000a, 0x0000002e, 0x5eed5eed,
    0x00040017, 0x00000031, 0x0000000a, 0x00000003, 0x0004002b, 0x0000000a, 0x00000032, 0x00000001,
    0x0006002c, 0x00000031, 0x00000033, 0x00000032, 0x00000032, 0x00000032, 0x00050036, 0x00000002,
    0x00000004, 0x00000000, 0x00000003, 0x000200f8, 0x00000005, 0x000200f9, 0x0000000e, 0x000200f8,
    0x0000000e, 0x000700f5, 0x00000006, 0x00000035, 0x00000009, 0x00000005, 0x00000028, 0x0000000f,
    0x000700f5, 0x0000000a, 0x00000034, 0x0000000d, 0x00000005, 0x0000002b, 0x0000000f, 0x00060041,
    0x0000001c, 0x0000001d, 0x00000018, 0x0000001a, 0x0000001b, 0x0004003d, 0x0000000a, 0x0000001e,
    0x0000001d, 0x000500c7, 0x0000000a, 0x00000020, 0x0000001e, 0x0000001f, 0x000500b0, 0x00000021,
    0x00000022, 0x00000034, 0x00000020, 0x000400f6, 0x00000010, 0x0000000f, 0x00000000, 0x000400fa,
    0x00000022, 0x0000000f, 0x00000010, 0x000200f8, 0x0000000f, 0x00060041, 0x0000001c, 0x00000024,
    0x00000018, 0x0000001a, 0x00000034, 0x0004003d, 0x0000000a, 0x00000025, 0x00000024, 0x00040070,
    0x00000006, 0x00000026, 0x00000025, 0x00050081, 0x00000006, 0x00000028, 0x00000035, 0x00000026,
    0x00050080, 0x0000000a, 0x0000002b, 0x00000034, 0x0000002a, 0x000200f9, 0x0000000e, 0x000200f8,
    0x00000010, 0x0004006d, 0x0000000a, 0x0000002d, 0x00000035, 0x000500c6, 0x0000000a, 0x0000002f,
    0x0000002d, 0x0000002e, 0x00060041, 0x0000001c, 0x00000030, 0x00000018, 0x0000001a, 0x0000001a,
    0x0003003e, 0x00000030, 0x0000002f, 0x000100fd, 0x00010038,
};
enum { WORDS = sizeof spirv / sizeof *spirv, NUMBER = 119 }; /* the place of 0x5eed5eed */

struct first_shader {
    struct memory_block memory;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandPool commands;
    VkFence fence;
};

static void finish(struct gpu *gpu, struct first_shader *s)
{
    const struct vk *vk = &gpu->vk;
    if (s->fence) { /* it may have been submitted */
        vk->DeviceWaitIdle(gpu->handle);
        vk->DestroyFence(gpu->handle, s->fence, NULL);
    }
    if (s->commands)
        vk->DestroyCommandPool(gpu->handle, s->commands, NULL);
    if (s->pool)
        vk->DestroyDescriptorPool(gpu->handle, s->pool, NULL);
    if (s->pipeline)
        vk->DestroyPipeline(gpu->handle, s->pipeline, NULL);
    if (s->layout)
        vk->DestroyPipelineLayout(gpu->handle, s->layout, NULL);
    if (s->set_layout)
        vk->DestroyDescriptorSetLayout(gpu->handle, s->set_layout, NULL);
    memory_block_finish(gpu, &s->memory);
}

/* With another number each time: code that Mesa's cache of shaders has is not compiled. */
static vkr_status create_pipeline(struct gpu *gpu, struct first_shader *s, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    vkr_status status = VKR_OK;
    VkShaderModule module = VK_NULL_HANDLE;
    struct timespec now = {0};
    uint32_t words[WORDS];
    memcpy(words, spirv, sizeof spirv);
    clock_gettime(CLOCK_REALTIME, &now);
    words[NUMBER] = (uint32_t)now.tv_nsec ^ (uint32_t)now.tv_sec << 22 ^ (uint32_t)getpid() << 10;
    VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .descriptorCount = 1,
                                            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo set = {.sType =
                                               VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = 1,
                                           .pBindings = &binding};
    VK(vk->CreateDescriptorSetLayout(gpu->handle, &set, NULL, &s->set_layout));
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &s->set_layout};
    VK(vk->CreatePipelineLayout(gpu->handle, &layout, NULL, &s->layout));
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = sizeof words,
                                     .pCode = words};
    VK(vk->CreateShaderModule(gpu->handle, &info, NULL, &module));
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = s->layout,
    };
    VK(vk->CreateComputePipelines(gpu->handle, VK_NULL_HANDLE, 1, &create, NULL, &s->pipeline));
out:
    if (module)
        vk->DestroyShaderModule(gpu->handle, module, NULL);
    return status;
}

static vkr_status create_set(struct gpu *gpu, struct first_shader *s, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    vkr_status status = VKR_OK;
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VK(vk->CreateDescriptorPool(gpu->handle, &info, NULL, &s->pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = s->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &s->set_layout};
    VK(vk->AllocateDescriptorSets(gpu->handle, &allocate, &s->set));
    const VkDescriptorBufferInfo buffer = {s->memory.buffer, 0, BYTES};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = s->set,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = &buffer};
    vk->UpdateDescriptorSets(gpu->handle, 1, &write, 0, NULL);
out:
    return status;
}

static vkr_status run(struct gpu *gpu, struct first_shader *s, vkr_error *err)
{
    const struct vk *vk = &gpu->vk;
    vkr_status status = VKR_OK;
    VkQueue queue;
    VkCommandBuffer commands;
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK(vk->CreateFence(gpu->handle, &fence, NULL, &s->fence));
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = gpu->family};
    VK(vk->CreateCommandPool(gpu->handle, &pool, NULL, &s->commands));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = s->commands,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VK(vk->AllocateCommandBuffers(gpu->handle, &allocate, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK(vk->BeginCommandBuffer(commands, &begin));
    vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, s->pipeline);
    vk->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &s->set, 0,
                              NULL);
    vk->CmdDispatch(commands, 1, 1, 1);
    VK(vk->EndCommandBuffer(commands));
    vk->GetDeviceQueue(gpu->handle, gpu->family, 0, &queue);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands};
    VK(vk->QueueSubmit(queue, 1, &submit, s->fence));
    VkResult waited; /* tests that let every call fail in turn count one, however long it takes */
    do {
        waited = vk->WaitForFences(gpu->handle, 1, &s->fence, VK_TRUE, POLL_NS);
        at_exit_renew();
    } while (waited == VK_TIMEOUT);
    VK(waited);
out:
    return status;
}

vkr_status first_shader_run(struct gpu *gpu, vkr_error *err)
{
    struct first_shader s = {0};
    vkr_status status =
        memory_block_create(gpu, BYTES, gpu->memory_types.device, false, &s.memory, err);
    if (!status)
        status = create_pipeline(gpu, &s, err);
    if (!status)
        status = create_set(gpu, &s, err);
    if (!status)
        status = run(gpu, &s, err);
    finish(gpu, &s);
    return status;
}
